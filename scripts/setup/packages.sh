# Sourced by the scripts that install packages from PyPI into a virtual environment of their own. They set `title`, which
# begins their messages, and `venv`, the folder.

no_venv="python3 has no venv (as root: apt-get install python3-venv)"
# The packages that could not be installed.
missing=

say() { echo "$title: $*"; }
fail() {
    echo "$title: error: $*" >&2
    exit 1
}

# The value of the option that the arguments begin with.
value() {
    [ $# -gt 1 ] || fail "$1 needs a folder"
    echo "$2"
}

# Makes the environment, or fails.
prepare() {
    mkdir -p "$(dirname "$venv")"
    [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" >/dev/null 2>&1 || {
        # Remove the incomplete environment of the failed attempt.
        rm -rf "$venv"
        return 1
    }
    : >"$venv/pip.log"
}

# Installs one package: its name, then pip's arguments. An installed package takes no time and no network.
install() {
    name=$1
    shift
    [ ! -e "$venv/has-$name" ] || return 0
    say "$name"
    # pip's output is long and goes to a file. One line reports all failures.
    if "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 "$@" >>"$venv/pip.log" 2>&1; then
        touch "$venv/has-$name"
    else
        missing="$missing $name"
        return 1
    fi
}

# Says which packages are missing.
report() {
    [ -z "$missing" ] || say "not to be had here:$missing (see $venv/pip.log)"
}
