# make demo   a real Kubernetes on this machine, and muster on it
# make test   everything: unit, golden frames, and integration against the local cluster
SHELL := /bin/bash
GO    ?= go
BIN   := $(CURDIR)/bin
DEMO_DATA ?= $(CURDIR)/.cache/demo
DEMO_USER ?= alice

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
.PHONY: help build muster localcluster demo demo-down run test test-product test-localcluster lint bench tidy clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

build: muster localcluster ## both programs into bin/

# go decides by itself what is stale, so both are asked for every time.
muster: ## the product: bin/muster
	@mkdir -p $(BIN)
	CGO_ENABLED=0 $(GO) build -ldflags '-s -w -X main.version=$(VERSION)' -o $(BIN)/muster ./cmd/muster

localcluster: ## the local Kubernetes: bin/localcluster (the first build takes minutes)
	@mkdir -p $(BIN)
	@test -x $(BIN)/localcluster || echo "building a whole Kubernetes; the first time this takes some minutes …" >&2
	cd cmd/localcluster && CGO_ENABLED=0 $(GO) build -ldflags '-s -w' -o $(BIN)/localcluster .

demo: build ## builds, starts the local cluster, opens muster on it as the ordinary user alice
	$(BIN)/localcluster up --data $(DEMO_DATA)
	KUBECONFIG=$(DEMO_DATA)/kubeconfig/$(DEMO_USER).yaml $(BIN)/muster
	@echo "The cluster still runs. End it with: make demo-down"

demo-down: ## ends the demo's cluster and removes its data
	$(BIN)/localcluster down --purge --data $(DEMO_DATA)

run: muster ## muster on your own kubeconfig
	$(BIN)/muster

test: test-localcluster test-product ## everything; nothing is skipped

test-product: localcluster
	MUSTER_LOCALCLUSTER=$(BIN)/localcluster $(GO) test -race -timeout 30m ./...

test-localcluster:
	cd cmd/localcluster && $(GO) test -race -timeout 40m ./...

lint: ## formatting, vet, staticcheck, import directions, tidy modules
	scripts/lint

bench: build ## speed and memory; not part of test
	$(GO) test -run '^$$' -bench . -benchmem ./...

tidy:
	$(GO) mod tidy
	cd cmd/localcluster && $(GO) mod tidy
	cd tools && $(GO) mod tidy

clean:
	rm -rf $(BIN)
