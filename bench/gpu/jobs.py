"""The jobs of a measuring process of bench.gpu."""

import json
import os
import sys
import time


def serve(options, header, jobs, action, is_well):
    """Runs jobs one after the other, so that a failure or crash costs a job and not the record. Writes lines with one JSON object each
    to the file descriptor of the options: the header, then the start and the result of each job. `action` gets the parts of a job, and
    returns its result. The process ends if it is not well after a job."""
    with os.fdopen(options["descriptor"], "w") as answers:

        def answer(**what):
            print(json.dumps(what), file=answers, flush=True)

        answer(header=header)
        for job in jobs:
            answer(begins=job)
            start = time.perf_counter()
            try:
                entry = action(*job)
            except Exception as error:  # noqa: BLE001: a failed job is a result
                entry = {"error": f"{type(error).__name__}: {error}"[:300]}
            answer(ended=job, entry=entry | {"job_seconds": round(time.perf_counter() - start, 1)})
            if not is_well():
                sys.exit(1)
