package holdfast_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/holdfast/holdfast/packages/go/holdfast"
)

// The service and the key of the examples are those of HOLDFAST_URL and HOLDFAST_KEY.
func newClient() *holdfast.Client {
	client, err := holdfast.FromEnv(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func ExampleClient_Using() {
	client := newClient()
	request := holdfast.Request{Resource: "go/printer", Wait: 5 * time.Minute}
	err := client.Using(context.Background(), request, func(ctx context.Context, h *holdfast.Hold) error {
		for page := 1; page <= 2; page++ {
			if err := h.Err(); err != nil {
				return err
			}
			fmt.Println("page", page, "with a fencing token:", h.FencingToken > 0)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// page 1 with a fencing token: true
	// page 2 with a fencing token: true
	// <nil>
}

func ExampleClient_TryReserve() {
	ctx, client := context.Background(), newClient()
	hold, err := client.Reserve(ctx, holdfast.Request{Resource: "go/scanner", Note: "monthly report"})
	if err != nil {
		log.Fatal(err)
	}
	defer hold.Release(ctx)
	_, ok, err := client.TryReserve(ctx, holdfast.Request{Resource: "go/scanner"})
	fmt.Println(ok, err)
	// Output: false <nil>
}

func ExampleClient_Reserve_match() {
	ctx, client := context.Background(), newClient()
	_, err := client.Register(ctx,
		holdfast.Registration{Name: "go/pixel-8", Labels: map[string]string{"go": "phone"}},
		holdfast.Registration{Name: "go/pixel-9", Labels: map[string]string{"go": "phone"}},
	)
	if err != nil {
		log.Fatal(err)
	}
	hold, err := client.Reserve(ctx, holdfast.Request{
		Match: holdfast.Match{"go": holdfast.OneOf("phone", "tablet")}, Wait: time.Minute,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer hold.Release(ctx)
	fmt.Println(hold.Resource)
	// Output: go/pixel-8
}

func ExampleClient_Session() {
	ctx, client := context.Background(), newClient()
	session, err := client.Session(ctx, holdfast.SessionOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"go/a", "go/b", "go/c"} {
		if _, err := session.Reserve(ctx, holdfast.Request{Resource: name}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(session.End(ctx))
	// Output: 3 <nil>
}

func ExampleError() {
	ctx, client := context.Background(), newClient()
	hold, err := client.Reserve(ctx, holdfast.Request{Resource: "go/plotter", Note: "monthly report"})
	if err != nil {
		log.Fatal(err)
	}
	defer hold.Release(ctx)
	_, err = client.Reserve(ctx, holdfast.Request{Resource: "go/plotter"})
	var refused *holdfast.Error
	if errors.Is(err, holdfast.ErrNotAvailable) && errors.As(err, &refused) {
		fmt.Println(refused.Code, refused.HeldBy.Note)
	}
	// Output: ALREADY_HELD monthly report
}

func ExampleClient_Events() {
	ctx, cancel := context.WithCancel(context.Background())
	client := newClient()
	err := client.Events(ctx, func(event holdfast.Event) error {
		if event.Type == holdfast.EventConnected {
			fmt.Println(event.Type)
			cancel()
		}
		return nil
	}, holdfast.EventReserved, holdfast.EventUnreserved)
	fmt.Println(err)
	// Output:
	// CONNECTED
	// <nil>
}

func ExampleClient_Mirror() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := newClient()
	changes := make(chan string)
	mirror, err := client.Mirror(ctx, holdfast.MirrorOptions{
		OnChange: func(resource string, reservations []holdfast.MirroredReservation) {
			changes <- fmt.Sprint(resource, " ", len(reservations))
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	hold, err := client.Reserve(ctx, holdfast.Request{Resource: "go/cutter"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-changes)
	fmt.Println(mirror.Get("go/cutter")[0].Requester == hold.Requester)
	go hold.Release(ctx)
	fmt.Println(<-changes)
	// Output:
	// go/cutter 1
	// true
	// go/cutter 0
}

func ExampleClient_Elect() {
	ctx, cancel := context.WithCancel(context.Background())
	client := newClient()
	err := client.Elect(ctx, "go/scheduler", func(ctx context.Context) {
		fmt.Println("leads, with a fencing token:", holdfast.HoldOf(ctx).FencingToken > 0)
		cancel() // as SIGTERM would, by signal.NotifyContext
		<-ctx.Done()
	}, func() { fmt.Println("leads no more") })
	fmt.Println(err)
	// Output:
	// leads, with a fencing token: true
	// leads no more
	// <nil>
}
