# For the other scripts, which say at their top what they do: `--help` prints that, and nothing else happens.
#
#   . "$(dirname "$0")/usage.bash"
#   accept --write -- "$@"        ends with it as well where an argument is none of those before the first `--`

usage() { sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "$0"; }

accept() {
  local options=" " argument
  while [ "$1" != -- ]; do
    options+="$1 "
    shift
  done
  for argument in "${@:2}"; do
    case $options in
      *" $argument "*) ;;
      *)
        printf 'error: `%s` is no option of %s\n\n' "$argument" "$0" >&2
        usage >&2
        exit 64
        ;;
    esac
  done
}

case ${1:-} in
  -h | --help)
    usage
    exit
    ;;
esac
