"""Opens a file in a language server as an editor does, and prints the diagnostics that the server publishes for it.

    lsp.py SERVER FILE

The server's own name and version are printed first.
"""

import json
import pathlib
import subprocess
import sys
import threading

server, file = sys.argv[1:]
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
send({"id": 2, "method": "shutdown"})
receive_until(lambda message: message.get("id") == 2)
send({"method": "exit"})
sys.exit(process.wait(timeout=60))
