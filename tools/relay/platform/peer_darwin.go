package platform

import "golang.org/x/sys/unix"

// peerOf is the user who connected to, or listens at, the other end of a socket.
func peerOf(socket int) (uid int, err error) {
	peer, err := unix.GetsockoptXucred(socket, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Uid), nil
}
