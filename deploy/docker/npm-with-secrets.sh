#!/bin/sh
# npm with what the builder lends it for one command: credentials (npmrc) and authorities (ca).
set -eu
[ ! -s /run/secrets/npmrc ] || export NPM_CONFIG_USERCONFIG=/run/secrets/npmrc
[ ! -s /run/secrets/ca ] || export NODE_EXTRA_CA_CERTS=/run/secrets/ca
exec npm --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 "$@"
