// Command peer is a client-go elector as applications embed it, to contend with
// the sidecar for the same Lease, and as a "client-go sidecar" (it holds, and
// serves who holds over loopback HTTP) to be measured beside it.
//
// On stdout it prints a JSON line when it listens, begins and stops leading.
// GET /leader answers what client-go has told the application at that moment.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

type settings struct {
	kubeconfig, namespace, lease, identity, listen string
	duration, deadline, interval                   time.Duration
	release                                        bool
}

func parse() settings {
	var s settings
	flag.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig file")
	flag.StringVar(&s.namespace, "namespace", "default", "namespace of the Lease")
	flag.StringVar(&s.lease, "lease", "demo", "name of the Lease")
	flag.StringVar(&s.identity, "identity", "", "holder identity")
	flag.StringVar(&s.listen, "listen", "127.0.0.1:0", "address of GET /leader")
	flag.DurationVar(&s.duration, "lease-duration", 15*time.Second, "")
	flag.DurationVar(&s.deadline, "renew-deadline", 10*time.Second, "")
	flag.DurationVar(&s.interval, "renew-interval", 2*time.Second, "")
	flag.BoolVar(&s.release, "release", true, "ReleaseOnCancel")
	flag.Parse()
	if s.identity == "" {
		host, _ := os.Hostname()
		s.identity = fmt.Sprintf("%s_%d", host, os.Getpid())
	}
	return s
}

// bootNanos reads the clock that the tests stamp with.
func bootNanos() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		panic(err)
	}
	return now.Nano()
}

var printing sync.Mutex

func report(event string, more map[string]any) {
	line := map[string]any{"event": event, "boot": bootNanos()}
	for key, value := range more {
		line[key] = value
	}
	printing.Lock()
	defer printing.Unlock()
	json.NewEncoder(os.Stdout).Encode(line)
}

func newElector(s settings, client kubernetes.Interface, current *state) (*leaderelection.LeaderElector, error) {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: s.lease, Namespace: s.namespace},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: s.identity},
	}
	return leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:            lock,
		LeaseDuration:   s.duration,
		RenewDeadline:   s.deadline,
		RetryPeriod:     s.interval,
		ReleaseOnCancel: s.release,
		Name:            s.lease,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) {
				current.leading.Store(true)
				report("leading", nil)
			},
			OnStoppedLeading: func() {
				current.leading.Store(false)
				report("stopped", nil)
			},
			OnNewLeader: func(identity string) {
				report("observed", map[string]any{"holder": identity})
			},
		},
	})
}

// state is what /leader answers from. Leading is between the two callbacks: when
// an application is told to begin and to stop. IsLeader is the elector's own.
type state struct {
	leading  atomic.Bool
	mutex    sync.Mutex
	elector  *leaderelection.LeaderElector // of the current campaign
	identity string
}

func (s *state) set(elector *leaderelection.LeaderElector) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.elector = elector
}

func (s *state) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mutex.Lock()
	elector := s.elector
	s.mutex.Unlock()
	answer := struct {
		Leading  bool   `json:"leading"`
		IsLeader bool   `json:"isLeader"`
		Identity string `json:"identity"`
		Holder   string `json:"holder"`
	}{Leading: s.leading.Load(), Identity: s.identity}
	if elector != nil {
		answer.IsLeader = elector.IsLeader()
		answer.Holder = elector.GetLeader()
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer)
}

func run(ctx context.Context, s settings) error {
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return err
	}
	current := &state{identity: s.identity}
	mux := http.NewServeMux()
	mux.Handle("/leader", current)
	go http.Serve(listener, mux)
	report("listening", map[string]any{
		"address": listener.Addr().String(), "identity": s.identity})
	// An application would exit when it stops leading; this one campaigns
	// again, as its restarted container would.
	for ctx.Err() == nil {
		elector, err := newElector(s, client, current)
		if err != nil {
			return err
		}
		current.set(elector)
		elector.Run(ctx)
	}
	report("ended", nil)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(),
		syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, parse()); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}
