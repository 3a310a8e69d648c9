#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The service is hardened: systemd's own rating of its exposure stays at 1.2 or below (threshold in tenths).
command -v systemd-analyze >/dev/null || exit 77
exec systemd-analyze security --offline=true --no-pager --threshold=12 "$1"
