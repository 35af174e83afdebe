module tenure.dev/examples/readers

go 1.21
