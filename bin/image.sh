#!/bin/sh
# Puts everything that the image holds into a folder: `image.sh NODE FOLDER`, in the folder that has dist/.
set -eu
node=$1
folder=$2
mkdir -p "$folder/usr/local/bin" "$folder/app" "$folder/etc" "$folder/data" "$folder/tmp"
cp -L "$node" "$folder/usr/local/bin/node"
# The libraries that the binary loads, where it looks for them; names are looked up by the C library itself.
for library in $(ldd "$node" | grep -o '/[^ ]*'); do
  mkdir -p "$folder$(dirname "$library")"
  cp -L "$library" "$folder$library"
done
printf 'root:x:0:0:root:/:/none\nsignalman:x:1000:1000:signalman:/data:/none\n' > "$folder/etc/passwd"
printf 'root:x:0:\nsignalman:x:1000:\n' > "$folder/etc/group"
printf 'hosts: files dns\n' > "$folder/etc/nsswitch.conf"
cp -R dist LICENSE "$folder/app/"
# The kernel reads the first line; there is no shell to do so.
printf '#!/usr/local/bin/node\nimport("/app/dist/signalman.mjs")\n' > "$folder/usr/local/bin/signalman"
chmod 755 "$folder/usr/local/bin/signalman"
chmod 1777 "$folder/tmp"
