#!/bin/sh
# Starts Holdfast with the first Java that is new enough: that of JAVA_HOME, that on the PATH, or
# one in the places where JDKs usually are. JAVA_OPTS and HOLDFAST_OPTS add options for the JVM.

needed=25

fail() {
    echo "$1" >&2
    exit 1
}

# Prints where a chain of links ends.
end_of_links() (
    path=$1
    while [ -h "$path" ]; do
        link=$(readlink "$path")
        case $link in
            /*) path=$link ;;
            *) path=$(dirname "$path")/$link ;;
        esac
    done
    echo "$path"
)

# Most JDKs tell their version in a file, which saves the time of starting the JVM to ask it.
version_of() (
    number='"\(1\.\)\{0,1\}\([0-9]*\).*/\2/p'
    version=$(sed -n "s/^JAVA_VERSION=$number" "${1%/*}/../release" 2>/dev/null)
    echo "${version:-$("$1" -version 2>&1 | sed -n "s/.* version $number")}"
)

# Sets java to the command to start, or too_old to a description of those that cannot be used.
find_java() {
    too_old=
    for java in \
        "${JAVA_HOME:+$JAVA_HOME/bin/java}" \
        "$(end_of_links "$(command -v java)")" \
        /usr/lib/jvm/*/bin/java \
        /opt/java/openjdk/bin/java \
        /opt/jdk*/bin/java \
        /Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java \
        ~/Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java \
        ~/.sdkman/candidates/java/*/bin/java \
        ~/.jdks/*/bin/java \
        ~/.gradle/jdks/*/bin/java \
        ~/.gradle/jdks/*/*/bin/java \
        ~/.gradle/jdks/*/*/Contents/Home/bin/java
    do
        # A pattern that fits no file stays in the list as it is.
        [ -x "$java" ] || continue
        version=$(version_of "$java")
        [ "${version:-0}" -lt "$needed" ] || return 0
        # Links make one JDK appear under several names, but it is reported once.
        place=$(cd "${java%/*}/.." && pwd -P)
        case $too_old in
            *"($place)"*) ;;
            *) too_old="$too_old${too_old:+, }${version:-an unknown version} ($place)" ;;
        esac
    done
    return 1
}

# The order decides which of two equal classes is loaded, and an AOT cache suits only the order it
# was made with. So it does not depend on the locale, and our own jar goes before all others.
class_path() (
    LC_ALL=C
    for jar in "$1"/holdfast*.jar; do
        printf '%s:' "$jar"
    done
    for jar in "$1"/*.jar; do
        case ${jar##*/} in
            holdfast*) ;;
            *) printf '%s:' "$jar" ;;
        esac
    done
)

find_java || fail "Holdfast needs Java $needed or newer and found \
${too_old:+only }${too_old:-none} in JAVA_HOME, on the PATH and in the usual places \
such as /usr/lib/jvm: install a JDK $needed or set JAVA_HOME to one."

home=$(CDPATH='' cd "$(dirname "$(end_of_links "$0")")/.." && pwd -P) || exit
class_path=$(class_path "$home/lib")
aot_cache=$home/lib/holdfast.aot
[ -f "$aot_cache" ] || aot_cache=

# The two variables may contain quoted words with blanks, as with Gradle's start scripts: xargs
# takes the quotes away and puts each word on its own line, sed makes it a word for eval again.
options=
if [ -n "${JAVA_OPTS:-}${HOLDFAST_OPTS:-}" ]; then
    options=$(printf '%s\n' "${JAVA_OPTS:-} ${HOLDFAST_OPTS:-}" | xargs printf '%s\n' 2>&1) ||
        fail "Holdfast is not started, close every quote in JAVA_OPTS and HOLDFAST_OPTS: $options"
    options=$(printf '%s\n' "$options" | sed "/^\$/d; s/'/'\\\\''/g; s/.*/'&'/" | tr '\n' ' ')
fi

set -- -classpath "${class_path%:}" io.holdfast.app.Application "$@"
eval "set -- $options"'"$@"'
# The process becomes the JVM, so that signals reach it and its exit status is ours. An AOT cache
# that was made by another build of Java only costs time at the start, which is not worth a warning.
exec "$java" \
    -XX:+UseCompactObjectHeaders \
    --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow \
    ${aot_cache:+"-XX:AOTCache=$aot_cache" -Xlog:aot=off} \
    "$@"
