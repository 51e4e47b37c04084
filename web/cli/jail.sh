# Within the namespaces of unshare: a root of its own that nothing can be written to, in which only
# some paths are seen, and an empty folder to run in. jail.sh ROOT FOLDER PATH ... -- PROGRAM ...
set -e
root=$1 folder=$2
shift 2
mount -t tmpfs -o mode=755,size=1m none "$root"
while [ "$1" != -- ]; do
    path=$1
    shift
    if [ -L "$path" ]; then
        mkdir -p "$root${path%/*}"
        ln -s "$(readlink "$path")" "$root$path"
        continue
    fi
    [ -e "$path" ] || continue
    if [ -d "$path" ]; then
        mkdir -p "$root$path"
    else
        mkdir -p "$root${path%/*}"
        [ -e "$root$path" ] || : >"$root$path"
    fi
    mount --rbind "$path" "$root$path"
    mount -o remount,bind,ro "$root$path"
done
shift
mkdir -p "$root/proc" "$root/tmp" "$root$folder"
mount -t proc proc "$root/proc"
mount -o remount,ro "$root"
ulimit -u 256 2>/dev/null || ulimit -p 256 2>/dev/null || :
exec chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"
