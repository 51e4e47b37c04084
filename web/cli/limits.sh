# Runs a program within limits: limits.sh KILOBYTES SECONDS PROGRAM ...
# Memory that it may write to, processor time, no file longer than nothing, few open files.
data=$1 seconds=$2
shift 2
trap '' XFSZ # a write is refused, rather than ending the program
ulimit -c 0
ulimit -f 0
ulimit -n 64
ulimit -t "$seconds"
ulimit -d "$data" 2>/dev/null || : # macOS has no such limit
exec "$@"
