# Runs a program within limits: limits.sh KILOBYTES SECONDS PROGRAM ...
# Limits writable memory and processor time; allows no writing to files and few open files.
data=$1 seconds=$2
shift 2
trap '' XFSZ # a write then fails and does not end the program
ulimit -c 0
ulimit -f 0
ulimit -n 64
ulimit -t "$seconds"
ulimit -d "$data" 2>/dev/null || : # macOS has no such limit
exec "$@"
