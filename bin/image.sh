#!/bin/sh
# Copies the content of the image into a folder: `image.sh NODE FOLDER`. Run it in the folder with dist/.
set -eu
node=$1
folder=$2
mkdir -p "$folder/usr/local/bin" "$folder/app" "$folder/etc" "$folder/tmp" "$folder.data"
cp -L "$node" "$folder/usr/local/bin/node"
# The libraries that the binary loads, at the paths where it looks for them. Resolving host names needs only the C library.
for library in $(ldd "$node" | grep -o '/[^ ]*'); do
  mkdir -p "$folder$(dirname "$library")"
  cp -L "$library" "$folder$library"
done
printf 'root:x:0:0:root:/:/none\nsignalman:x:1000:1000:signalman:/data:/none\n' > "$folder/etc/passwd"
printf 'root:x:0:\nsignalman:x:1000:\n' > "$folder/etc/group"
printf 'hosts: files dns\n' > "$folder/etc/nsswitch.conf"
mkdir -p "$folder/app/dist"
cp LICENSE "$folder/app/"
for file in signalman.mjs signalman.mjs.map THIRD-PARTY-NOTICES.txt; do cp "dist/$file" "$folder/app/dist/"; done
# The kernel reads the shebang line, because the image has no shell.
printf '#!/usr/local/bin/node\nimport("/app/dist/signalman.mjs")\n' > "$folder/usr/local/bin/signalman"
chmod 755 "$folder/usr/local/bin/signalman"
chmod 1777 "$folder/tmp"
# Fills the compile cache. Without a configuration, each verb exits immediately, but leaves its compiled code for later starts. The
# cache depends on the user, so the verbs run as the user of the image.
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$folder/app/dist/cache"
  chown 1000:1000 "$folder/app/dist/cache"
  for verb in serve doctor rotate-keys; do
    env -i NODE_OPTIONS=--max-semi-space-size=8 NODE_COMPILE_CACHE=/app/dist/cache \
      "$(command -v chroot)" --userspec=1000:1000 "$folder" /usr/local/bin/signalman $verb > /dev/null 2>&1 || true
  done
  chown -R 0:0 "$folder/app/dist/cache"
  chmod -R a+rX "$folder/app/dist/cache"
  test "$(ls "$folder/app/dist/cache" | wc -l)" -ge 1
fi
