package limits

import (
	"time"

	"google.golang.org/grpc"
)

// stopWait is how long calls under way may take at the end.
const stopWait = 2 * time.Second

// Stop lets calls end that are nearly done, and cuts the others off.
func Stop(server *grpc.Server) {
	hard := time.AfterFunc(stopWait, server.Stop)
	defer hard.Stop()
	server.GracefulStop()
}
