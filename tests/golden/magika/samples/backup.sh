#!/bin/sh
# Keeps the last seven backups of a folder.
set -eu

folder="${1:?usage: backup.sh FOLDER}"
target="backup-$(date +%Y-%m-%d).tar.gz"

tar -czf "$target" "$folder"
ls -1t backup-*.tar.gz | tail -n +8 | while read -r old; do
    rm -- "$old"
done
echo "wrote $target"
