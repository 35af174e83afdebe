package main

import (
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

var _ = clientcmd.BuildConfigFromFlags
var _ = leaderelection.RunOrDie
var _ resourcelock.Interface

func main() {}
