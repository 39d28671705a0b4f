package limits

import (
	"time"

	"google.golang.org/grpc"
)

// stopWait is how long calls in progress may take at the end.
const stopWait = 2 * time.Second

// Stop lets calls finish that are nearly done, and cuts off the others.
func Stop(server *grpc.Server) {
	hard := time.AfterFunc(stopWait, server.Stop)
	defer hard.Stop()
	server.GracefulStop()
}
