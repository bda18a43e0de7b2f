# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# apt, used without leaving a trace in the user's configuration.
#
# Some packages (QEMU 10 on Debian 12, newer kernels) are in the release's
# backports only.  apt_private_view makes a directory with a copy of the
# machine's own sources and package lists plus the backports; every apt command
# that is given "${APT_VIEW[@]}" sees these in place of those in /etc and /var.
# apt_foreign_view does so for other releases, without the machine's own: what is
# found there is unpacked in a directory of its own, never installed.
# Needs common.sh.

APT_VIEW=()		# options that select the view; empty: the machine's own
APT_VIEW_DIR=''
# shellcheck disable=SC2034  # used by those who source this
APT_FOREIGN=0		# the view is one of another release
APT_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
APT_KEYRING_DIR=''	# of a newer one
APT_LOG=/dev/null	# what apt says while it looks for something
SUDO=()			# put before each command that needs root

# apt_need_tools: this is the one family of systems that setup knows.
apt_need_tools()
{
	command -v apt-get dpkg-query >/dev/null ||
		die "no apt-get here: only Debian and Ubuntu are set up by this script"
}

# apt_installed: "name version" of all installed packages, one a line.
apt_installed()
{
	dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' |
		sed -n 's/^installed //p'
}

# apt_become_root: fills SUDO; fails where there is no way to root.
apt_become_root()
{
	[ "$(id -u)" -ne 0 ] || return 0
	command -v sudo >/dev/null || return 1
	# Without a terminal sudo cannot ask for a password.
	sudo -n true 2>/dev/null || [ -t 0 ] || return 1
	SUDO=(sudo)
}

# apt_run ARGS...: apt-get as root, without questions, patient with locks.
apt_run()
{
	"${SUDO[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l \
		apt-get -q -y "${APT_VIEW[@]}" -o Acquire::Retries=3 \
		-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# apt_codename: bookworm, trixie, noble ...
apt_codename()
{
	sed -n 's/^VERSION_CODENAME=//p' /etc/os-release | tr -d '"'
}

apt_is_debian()
{
	grep -qx 'ID="\{0,1\}debian"\{0,1\}' /etc/os-release
}

# apt_debian_mirror: where Debian's packages are to be had: on Debian from where the
# machine has its own.
apt_debian_mirror()
{
	if [ -n "${FT_DEBIAN_MIRROR:-}" ] || ! apt_is_debian; then
		echo "${FT_DEBIAN_MIRROR:-http://deb.debian.org/debian}"
	else
		apt_mirror "$(apt_codename)"
	fi
}

# shellcheck disable=SC2016  # apt expands the fields
# apt_mirror CODENAME: where this machine gets its Debian packages from.
apt_mirror()
{
	apt-get indextargets --format '$(CREATED_BY) $(CODENAME) $(RELEASE) $(REPO_URI)' |
		awk -v c="$1" '$1 == "Packages" && ($2 == c || $3 == c) { print $4; exit }'
}

# shellcheck disable=SC2016
# apt_have_suite SUITE: is SUITE among the machine's own sources?
apt_have_suite()
{
	apt-get indextargets --format '$(CREATED_BY) $(CODENAME) $(RELEASE)' |
		awk -v s="$1" '$1 == "Packages" && ($2 == s || $3 == s) { f = 1 } END { exit !f }'
}

# apt_make_view MIRROR SUITE...: a directory with sources for these suites alone.
apt_make_view()
{
	local mirror=$1 suite
	shift
	[ -r "$APT_KEYRING" ] || { warn "no $APT_KEYRING: install debian-archive-keyring"; return 1; }
	APT_VIEW_DIR=$(mktemp -d)
	chmod 755 "$APT_VIEW_DIR"	# apt downloads as the user _apt
	mkdir -p "$APT_VIEW_DIR"/{sources,only,lists/partial}
	: >"$APT_VIEW_DIR/status"
	for suite in "$@"; do
		echo "deb [signed-by=$APT_KEYRING] $mirror $suite main"
	done >"$APT_VIEW_DIR/only/feather-trace.list"
	cp "$APT_VIEW_DIR"/only/* "$APT_VIEW_DIR/sources"
	APT_VIEW=(-o "Dir::State::Lists=$APT_VIEW_DIR/lists"
		-o "Dir::Etc::SourceParts=$APT_VIEW_DIR/sources"
		-o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
	# In the user's own directory apt cannot change to _apt; packages are
	# checked against signed lists either way.
	[ "$(id -u)" -ne 0 ] && [ ${#SUDO[@]} -eq 0 ] || APT_VIEW+=(-o APT::Sandbox::User=root)
}

# apt_update_view: read the lists of the view's own suites.
apt_update_view()
{
	retry 3 apt_run -o "Dir::Etc::SourceParts=$APT_VIEW_DIR/only" \
		-o Dir::Etc::SourceList=/dev/null -o APT::Get::List-Cleanup=0 \
		-o APT::Update::Error-Mode=any update >&2
}

# apt_private_view: fills APT_VIEW with the machine's sources plus backports.
# The caller removes it with apt_drop_view (best from a trap).
apt_private_view()
{
	local codename mirror suites=()

	[ ${#APT_VIEW[@]} -eq 0 ] || return 0
	apt_is_debian || return 1	# others have theirs switched on
	codename=$(apt_codename)
	mirror=$(apt_mirror "$codename")
	[ -n "$mirror" ] || { warn "no source for $codename in apt's configuration"; return 1; }
	apt_have_suite "$codename-backports" || suites=("$codename-backports")
	apt_make_view "$mirror" "${suites[@]}" || return 1
	cp -r /etc/apt/sources.list.d/. "$APT_VIEW_DIR/sources" 2>/dev/null || true
	# Copied, not downloaded again: only the backports' list is new.
	find /var/lib/apt/lists -maxdepth 1 -type f ! -name lock \
		-exec cp -p -t "$APT_VIEW_DIR/lists" {} + 2>/dev/null || true
	apt_update_view
}

# shellcheck disable=SC2034
# apt_foreign_view SUITE...: fills APT_VIEW with these suites of Debian alone, and
# with a system on which nothing is installed.  To be dropped as the other one.
#
# Signatures are checked against the keys that this machine has.  Where these are
# too old for the suite, newer ones come from the machine's own sources, whose
# signatures apt checks as ever: the chain is never broken.
apt_foreign_view()
{
	local mirror

	apt_drop_view
	mirror=$(apt_debian_mirror)
	[ -n "$mirror" ] || { warn "no source for $(apt_codename) in apt's configuration"; return 1; }
	apt_make_view "$mirror" "$@" || return 1
	APT_FOREIGN=1
	if ! apt_update_view; then
		apt_drop_view
		apt_newer_keyring || return 1
		apt_make_view "$mirror" "$@" || return 1
		APT_FOREIGN=1
		apt_update_view || return 1
	fi
	APT_VIEW+=(-o Dir::Etc::SourceList=/dev/null -o "Dir::State::status=$APT_VIEW_DIR/status")
}

# apt_newer_keyring: sets APT_KEYRING to that of the newest debian-archive-keyring
# of the machine's own sources; point releases bring the keys of the next release.
apt_newer_keyring()
{
	[ -z "$APT_KEYRING_DIR" ] || return 1	# tried before
	APT_KEYRING_DIR=$(mktemp -d)
	chmod 755 "$APT_KEYRING_DIR"
	(cd "$APT_KEYRING_DIR" && apt_download debian-archive-keyring && dpkg -x ./*.deb .) >&2 ||
		return 1
	APT_KEYRING=$APT_KEYRING_DIR/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r "$APT_KEYRING" ]
}

# shellcheck disable=SC2034
apt_drop_view()
{
	[ -z "$APT_VIEW_DIR" ] || "${SUDO[@]}" rm -rf "$APT_VIEW_DIR"
	APT_VIEW_DIR='' APT_VIEW=() APT_FOREIGN=0
}

# apt_drop_all: the same, and a newer keyring: at the end.
apt_drop_all()
{
	apt_drop_view
	[ -z "$APT_KEYRING_DIR" ] || rm -rf "$APT_KEYRING_DIR"
}

# apt_seek COMMAND...: sets FOUND to what COMMAND prints, in the first view in which
# it prints something: the machine's own sources, its backports, then Debian's newer
# releases; that view stays.
apt_seek()
{
	local suites
	FOUND=$("$@") || FOUND=''
	[ -z "$FOUND" ] || return 0
	note 'not in this machine'\''s package lists: looking into the backports'
	if apt_private_view 2>>"$APT_LOG"; then
		FOUND=$("$@") || FOUND=''
		[ -z "$FOUND" ] || return 0
	fi
	for suites in 'stable stable-backports' bookworm sid 'sid experimental'; do
		[ "$suites" != "$(apt_codename)" ] || continue
		note "neither there: looking into Debian's ${suites##* }"
		# shellcheck disable=SC2086  # two words
		apt_foreign_view $suites 2>>"$APT_LOG" || continue
		FOUND=$("$@") || FOUND=''
		[ -z "$FOUND" ] || return 0
	done
	apt_drop_view
	return 1
}

# apt_download NAME...: into this directory.  It is unprivileged work; apt's change
# to the user _apt would only be in the way of a private directory.
apt_download()
{
	retry 3 apt-get -q "${APT_VIEW[@]}" -o Acquire::Retries=3 -o APT::Sandbox::User= download "$@"
}

# apt_known: names of all packages that apt can get in the present view.
apt_known()
{
	apt-cache "${APT_VIEW[@]}" pkgnames
}
