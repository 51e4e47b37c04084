# jail.sh ROOT FOLDER KIND SOURCE TARGET ... -- PROGRAM ...: runs a program with a new read-only root, inside new
# namespaces. BIND shows SOURCE at TARGET, LINK copies a symbolic link, HIDE makes an empty folder.
set -e
root=$1 folder=$2
shift 2
mount -t tmpfs -o mode=755,size=1m none "$root"
while [ "$1" != -- ]; do
    kind=$1 source=$2 at=$root$3
    if [ "$kind" != HIDE ] && [ ! -e "$source" ]; then
        shift 3
        continue
    fi
    within=${at%/*}
    [ "$kind" = LINK ] || [ ! -d "$source" ] || within=$at
    [ -d "$within" ] || mkdir -p "$within"
    [ "$kind" = LINK ] || [ -e "$at" ] || : >"$at"
    case $kind,$3 in
    BIND,/dev/*) mount --rbind -o ro,nosuid,noexec "$source" "$at" ;;
    BIND,*) mount --rbind -o ro,nosuid,nodev "$source" "$at" ;;
    LINK,*) cp -P "$source" "$at" ;;
    HIDE,*) mount -t tmpfs -o ro,nosuid,nodev,mode=755,size=64k none "$at" ;;
    esac
    shift 3
done
shift
# If the kernel allows it, forbids new user namespaces and System V shared memory.
echo 0 2>/dev/null >/proc/sys/user/max_user_namespaces || :
echo 0 2>/dev/null >/proc/sys/kernel/shmmni || :
mkdir -p "$root/proc" "$root/tmp"
mount -t proc -o ro,nosuid,nodev,noexec proc "$root/proc"
# Makes the root and the mounts inside a shown folder read-only too. The others are so already.
while read -r _ _ _ _ at options _; do
    # mountinfo writes spaces and some other characters in octal.
    case $at in *\\*) at=$(printf %b "$(printf %s "$at" | sed 's/\\/\\0/g')") ;; esac
    case $options,$at in
    ro,nosuid,nodev* | ro,nosuid,noexec*,"$root"/dev/*) ;;
    *,"$root"/dev/*) mount -o remount,bind,ro,nosuid,noexec "$at" ;;
    *,"$root" | *,"$root"/*) mount -o remount,bind,ro,nosuid,nodev "$at" ;;
    esac
done </proc/self/mountinfo
# Unmounts the old root; afterwards no process can change the new one.
cd "$root"
pivot_root . .
umount -l .
cd "$folder"
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all "$@"
