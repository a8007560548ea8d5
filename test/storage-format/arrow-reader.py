# Opens Arrow files with pyarrow and prints what it sees, one JSON line for each request line of
# standard input: {"path": ..., "start": ..., "end": ...}. Validates in full, as file and as stream.
import json
import sys

import pyarrow as pa
import pyarrow.ipc as ipc


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    return value


for line in sys.stdin:
    request = json.loads(line)
    with open(request["path"], "rb") as file:
        file.seek(request["start"])
        data = file.read(request["end"] - request["start"])
    reader = ipc.open_file(pa.BufferReader(data))
    table = reader.read_all()
    table.validate(full=True)
    stream = ipc.open_stream(pa.BufferReader(data[8:])).read_all()
    columns = {}
    for name in request.get("columns", []):
        columns[name] = plain(table.column(name).to_pylist())
    print(json.dumps({
        "rows": table.num_rows,
        "batches": reader.num_record_batches,
        "sameAsStream": stream.equals(table),
        "types": {field.name: str(field.type) for field in table.schema},
        "sql": {
            field.name: (field.metadata or {}).get(b"muster.type", b"").decode()
            for field in table.schema
        },
        "columns": columns,
    }))
