package kube

import (
	"errors"
	"testing"

	"muster.dev/muster/backend/snapshot"
)

// TestStaleSaysWhy: one feed has lost its connection while the last request of another was answered.
func TestStaleSaysWhy(t *testing.T) {
	s, c := large(1)
	pods := s.feeds[feedKey{kindPods, "research"}]
	pods.health = s.health
	pods.note(t.Context(), errors.New("connection refused"))
	s.health.ok()
	snap, _, _ := c.compose()
	if snap.Conn.State != snapshot.Stale || snap.Conn.Error != "connection refused" || snap.Conn.Problem == nil {
		t.Errorf("%+v", snap.Conn)
	}
	pods.note(t.Context(), nil)
	if snap, _, _ = c.compose(); snap.Conn.State != snapshot.Live || snap.Conn.Error != "" {
		t.Errorf("back: %+v", snap.Conn)
	}
}
