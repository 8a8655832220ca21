package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	maxFiles   = 8        // open files that one message may carry
	maxMessage = 64 << 20 // far above any command line the kernel takes
)

// conn carries JSON messages, each with the open files it speaks of.
type conn struct {
	c       *net.UnixConn
	writing sync.Mutex
}

func newConn(f *os.File) (*conn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, fmt.Errorf("%s is not a unix socket", f.Name())
	}
	return &conn{c: u}, nil
}

// connPair returns a connection and the file of its other end, to be given to another process.
func connPair() (*conn, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	peer := os.NewFile(uintptr(fds[1]), "peer")
	c, err := newConn(os.NewFile(uintptr(fds[0]), "connection"))
	if err != nil {
		peer.Close()
		return nil, nil, err
	}
	return c, peer, nil
}

func (c *conn) close() error { return c.c.Close() }

// send writes one message. The files stay open here.
func (c *conn) send(v any, files ...*os.File) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	// The files travel with the length: the kernel hands them over with the first byte they were sent with.
	_, _, err = c.c.WriteMsgUnix(head, rights, nil)
	runtime.KeepAlive(files)
	if err != nil {
		return err
	}
	_, err = c.c.Write(body)
	return err
}

// receive reads one message into v and returns the files that came with it.
func (c *conn) receive(v any) (files []*os.File, err error) {
	head := make([]byte, 4)
	rights := make([]byte, unix.CmsgSpace(4*maxFiles))
	n, nr, _, _, err := c.c.ReadMsgUnix(head, rights)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	if files, err = received(rights[:nr]); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			closeAll(files)
			files = nil
		}
	}()
	if _, err = io.ReadFull(c.c, head[n:]); err != nil {
		return files, err
	}
	size := binary.BigEndian.Uint32(head)
	if size > maxMessage {
		return files, errors.New("message too large")
	}
	body := make([]byte, size)
	if _, err = io.ReadFull(c.c, body); err != nil {
		return files, err
	}
	return files, json.Unmarshal(body, v)
}

func received(rights []byte) ([]*os.File, error) {
	if len(rights) == 0 {
		return nil, nil
	}
	msgs, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for _, m := range msgs {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			closeAll(files)
			return nil, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
