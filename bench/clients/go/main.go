// The program of the Go client: ../programs.ts.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdfast/holdfast/packages/go/holdfast"
)

func main() {
	client, err := holdfast.FromEnv(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	count := number(2)
	if os.Args[1] == "cycles" {
		cycles(client, count, time.Second)
		seconds := number(3)
		done := cycles(client, count, time.Duration(seconds)*time.Second)
		fmt.Println(float64(done) / float64(seconds))
	} else {
		renew(client, count)
	}
	select {}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		log.Fatal(err)
	}
	return n
}

// cycles returns how often the callers have reserved and released.
func cycles(client *holdfast.Client, callers int, duration time.Duration) int64 {
	var done atomic.Int64
	var wait sync.WaitGroup
	ctx := context.Background()
	end := time.Now().Add(duration)
	for i := 0; i < callers; i++ {
		request := holdfast.Request{Resource: fmt.Sprint(os.Getpid(), "-", i)}
		wait.Add(1)
		go func() {
			defer wait.Done()
			for time.Now().Before(end) {
				if err := client.Using(ctx, request, func(context.Context, *holdfast.Hold) error { return nil }); err != nil {
					log.Fatal(err)
				}
				done.Add(1)
			}
		}()
	}
	wait.Wait()
	return done.Load()
}

// renew holds names with leases of 30 s, and writes a line when it has them.
func renew(client *holdfast.Client, holds int) {
	var held sync.WaitGroup
	held.Add(holds)
	for i := 0; i < holds; i++ {
		request := holdfast.Request{Resource: fmt.Sprint(os.Getpid(), "-", i), TTL: 30 * time.Second}
		go func() {
			err := client.Using(context.Background(), request, func(ctx context.Context, _ *holdfast.Hold) error {
				held.Done()
				<-ctx.Done()
				return ctx.Err()
			})
			log.Fatal(err)
		}()
	}
	held.Wait()
	fmt.Println("held")
}
