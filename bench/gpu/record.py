"""The record of bench.gpu."""

from bench.gpu.page import derive, page
from bench.harness import milliseconds, write_record


class Record:
    """The results, written to disk after each job."""

    def __init__(self, output, content):
        self.output, self.content = output, content

    def write(self):
        """Writes the record atomically."""
        if not self.output:
            return
        write_record(self.output, "gpu", self.content, page(self.content))

    def has(self, name, what):
        """True if the row has been measured for this peer."""
        row = self.content["rows"].get(name, {"peers": {}})
        return "seconds" in (row if what == "mdh" else row["peers"].get(what, {}))

    def add(self, row, what, entry):
        """Adds and prints the result of a job."""
        found = self.content["rows"].setdefault(row.name, {"peers": {}})
        if what == "mdh":
            # A resumed record may have an old error of this job.
            found.pop("error", None)
            found |= entry
        else:
            found["peers"][what] = entry
        derive(found, row)
        self.write()
        result = f"{milliseconds(entry['seconds'])} ms" if "seconds" in entry else entry["error"]
        ratio = f", ratio {found['ratio']:.2f}" if what != "mdh" and "ratio" in found else ""
        print(f"{row.name}: {what}: {result}{ratio}", flush=True)
