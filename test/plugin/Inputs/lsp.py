"""Opens a file in a language server as an editor does, and prints the diagnostics that the server publishes for it.

    lsp.py SERVER FILE [hover TEXT | complete TEXT]...

The server's own name and version are printed first, and at the end what it shows at the beginning of the first such text in the file,
or the names that it offers after the text.
"""

import json
import pathlib
import subprocess
import sys
import threading

server, file, *requests = sys.argv[1:]
uri = pathlib.Path(file).resolve().as_uri()
process = subprocess.Popen([server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
# A server that does not answer fails the test instead of hanging it.
watch = threading.Timer(60, process.kill)
watch.daemon = True
watch.start()


def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    process.stdin.flush()


def receive():
    length = None
    while (line := process.stdout.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode().partition(":")
        if name.lower() == "content-length":
            length = int(value)
    if length is None:
        sys.exit("the server closed the connection")
    return json.loads(process.stdout.read(length))


def receive_until(wanted):
    while not wanted(message := receive()):
        pass
    return message


send({"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}})
answer = receive_until(lambda message: message.get("id") == 1)
print("{name} {version}".format(**answer["result"]["serverInfo"]))
send({"method": "initialized", "params": {}})
text = pathlib.Path(file).read_text()
send({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": uri, "languageId": "mlir", "version": 1, "text": text}}})
published = receive_until(lambda message: message.get("method") == "textDocument/publishDiagnostics")
for diagnostic in published["params"]["diagnostics"]:
    print(f"line {diagnostic['range']['start']['line'] + 1}: {diagnostic['message']}")
for number, (kind, wanted) in enumerate(zip(requests[::2], requests[1::2]), 3):
    place = text.index(wanted) + (len(wanted) if kind == "complete" else 0)
    position = {"line": text.count("\n", 0, place), "character": place - text.rfind("\n", 0, place) - 1}
    method = {"hover": "textDocument/hover", "complete": "textDocument/completion"}[kind]
    send({"id": number, "method": method, "params": {"textDocument": {"uri": uri}, "position": position}})
    result = receive_until(lambda message: message.get("id") == number)["result"]
    if kind == "hover":
        print(f"{wanted}: {result['contents']['value']}")
    else:
        print(f"{wanted}:", *sorted(item["label"] for item in result["items"]))
send({"id": 2, "method": "shutdown"})
receive_until(lambda message: message.get("id") == 2)
send({"method": "exit"})
sys.exit(process.wait(timeout=60))
