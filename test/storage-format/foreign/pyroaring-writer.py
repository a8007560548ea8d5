# Writes sets as pyroaring serialises them: lines of {"name", "bits", "ids"} in, the same with "bytes" out.

import base64
import json
import sys

from pyroaring import BitMap, BitMap64

for line in sys.stdin:
    asked = json.loads(line)
    kind = BitMap if asked["bits"] == 32 else BitMap64
    bitmap = kind([int(one) for one in asked["ids"]])
    if asked.get("runs"):
        bitmap.run_optimize()
    asked["bytes"] = base64.b64encode(bitmap.serialize()).decode()
    print(json.dumps(asked))
