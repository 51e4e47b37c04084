# Within new namespaces: a root of its own that nothing can be written to. Each path is bound where it
# is, each LINK is one, each HIDE is an empty folder. jail.sh ROOT KIND SOURCE TARGET ... -- PROGRAM ...
set -e
root=$1 folder=$2
shift 2
mount -t tmpfs -o mode=755,size=1m none "$root"
while [ "$1" != -- ]; do
    kind=$1 source=$2 at=$root$3
    shift 3
    [ "$kind" = HIDE ] || [ -e "$source" ] || continue
    mkdir -p "${at%/*}"
    if [ "$kind" = BIND ] && [ ! -d "$source" ]; then
        [ -e "$at" ] || : >"$at"
    elif [ "$kind" != LINK ]; then
        mkdir -p "$at"
    fi
    case $kind in
    BIND)
        mount --rbind "$source" "$at"
        mount -o remount,bind,ro,nosuid "$at"
        ;;
    LINK) ln -s "$(readlink "$source")" "$at" ;;
    HIDE) mount -t tmpfs -o mode=755,size=64k none "$at" ;;
    esac
done
shift
# If the kernel allows it: no user namespaces inside, no shared memory of System V.
echo 0 2>/dev/null >/proc/sys/user/max_user_namespaces || :
echo 0 2>/dev/null >/proc/sys/kernel/shmmni || :
mkdir -p "$root/proc" "$root/tmp"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
while read -r _ _ _ _ at _; do
    # Spaces and the like are written in octal.
    case $at in *\\*) at=$(printf %b "$(printf %s "$at" | sed 's/\\/\\0/g')") ;; esac
    case $at in
    "$root"/dev/*) mount -o remount,bind,ro,nosuid,noexec "$at" ;;
    "$root" | "$root"/*) mount -o remount,bind,ro,nosuid,nodev "$at" ;;
    esac
done </proc/self/mountinfo
# The old root is left behind, with every right to change this one.
cd "$root"
pivot_root . .
umount -l .
cd "$folder"
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all "$@"
