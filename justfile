# Each recipe is a plain command.
default:
    @just --list

# everything at once, in a temporary folder
demo:
    go run . demo

# the tests, in minutes; go test -v ./... | grep 'left out' lists the tests that they leave out
test:
    go test ./...

# every test, including those that a plain run leaves out; .ci/run installs their tools
test-long *flags:
    REGISTRY_LONG_TESTS=1 go test -timeout 60m {{flags}} ./...

# the tests with the race detector, in random order; .ci/run says why it leaves out SQLite
race:
    go test -race -gcflags=modernc.org/sqlite/lib=-race=false '-gcflags=modernc.org/libc/...=-race=false' -shuffle on -timeout 40m ./...

# the speed, as ratios within one run; see assets/guides/speed.md
bench *flags:
    go run ./app/bench {{flags}}

# CPU and allocation profiles of accept and process under load, into ./profiles
profile:
    go run ./app/bench profile

# hours of load with kills, restarts, rotations and backups; prints each minute what it injected and what was lost
soak duration="4h":
    REGISTRY_LONG_TESTS=1 REGISTRY_SOAK={{duration}} go test ./app -count 1 -v -timeout 0 -run ASoak

# look for inputs that break the scan or the mapping
fuzz:
    go test ./app/fhir -run xxx -fuzz FuzzScan -fuzztime 60s
    go test ./app/smart -run xxx -fuzz FuzzIssuer -fuzztime 60s
    go test ./app/mapping/bundle -run xxx -fuzz 'FuzzRead$' -fuzztime 60s -fuzzminimizetime 10x
    go test ./app/mapping/metamorphic -run xxx -fuzz FuzzBundles -fuzztime 60s -fuzzminimizetime 10x
    go test ./app/mapping/metamorphic -run xxx -fuzz FuzzCharts -fuzztime 60s -fuzzminimizetime 10x
    go test ./app/mapping/metamorphic -run xxx -fuzz FuzzRows -fuzztime 60s -fuzzminimizetime 10x

# the pages' generated code
generate:
    go generate ./...

# pictures of every page, light and dark, wide and narrow, into ./screenshots
screenshots:
    REGISTRY_LONG_TESTS=1 REGISTRY_LONG_TESTS_WITHOUT=axe-core REGISTRY_SCREENSHOTS="$PWD/screenshots" go test ./app -count 1 -run EveryPage

# golangci-lint (with vet, staticcheck and gofumpt), and known vulnerabilities if their database can be reached
lint:
    go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...
    if curl -fs -m 20 -o /dev/null https://vuln.go.dev/index/db.json; then go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...; else echo "left out: govulncheck, since https://vuln.go.dev cannot be reached"; fi

# the static binary
build:
    CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X birthregistry/app.Version=$(git describe --always --dirty)" -o birthregistry .

# a release in ./dist: programs, packages and images, built twice and compared, with checksums, an SBOM and provenance
release:
    .ci/release

# everything a change must pass
ci:
    .ci/run
