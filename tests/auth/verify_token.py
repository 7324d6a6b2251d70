"""Prints the claims of a token, or null, knowing nothing but the URL of its issuer."""

import json
import sys
from urllib.request import urlopen

import jwt

given = json.load(sys.stdin)
issuer, token = given["issuer"], given["token"]
with urlopen(f"{issuer}/.well-known/openid-configuration") as answer:
    keys = jwt.PyJWKClient(json.load(answer)["jwks_uri"])
try:
    claims = jwt.decode(
        token,
        keys.get_signing_key_from_jwt(token),
        algorithms=["RS256"],
        issuer=issuer,
        audience=given["audience"],
    )
except jwt.PyJWTError:
    claims = None
print(json.dumps(claims))
