#!/usr/bin/env bash
# Installs what the browser tests look at the page with. The fonts matter: without them
# text, Chinese above all, has other widths than on a user's device.
set -euo pipefail

packages=(chromium fonts-inter fonts-noto-cjk)

if ! command -v dpkg-query >/dev/null; then
    if command -v chromium >/dev/null; then exit 0; fi
    echo "The browser tests need Chromium, and only Debian's can be installed from here." >&2
    echo "Install 'chromium' by hand, or run 'make test-python test-web' alone." >&2
    exit 1
fi

missing=()
for package in "${packages[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null |
        grep -qx installed || missing+=("$package")
done
if ((${#missing[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
        echo "The browser tests need ${missing[*]}; as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "Installing ${missing[*]} for the browser tests."
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
