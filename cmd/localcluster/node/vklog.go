package node

import (
	"fmt"
	"log/slog"

	vklog "github.com/virtual-kubelet/virtual-kubelet/log"
)

// vkLogger is our log to virtual-kubelet. It calls an error what will be tried again, as while the API server restarts: that is a warning
// here, and its warnings and the rest are details.
type vkLogger struct{ log *slog.Logger }

func (l vkLogger) Debug(...any)                     {}
func (l vkLogger) Debugf(string, ...any)            {}
func (l vkLogger) Info(...any)                      {}
func (l vkLogger) Infof(string, ...any)             {}
func (l vkLogger) Warn(a ...any)                    { l.log.Debug(fmt.Sprint(a...)) }
func (l vkLogger) Warnf(f string, a ...any)         { l.log.Debug(fmt.Sprintf(f, a...)) }
func (l vkLogger) Error(a ...any)                   { l.log.Warn(fmt.Sprint(a...)) }
func (l vkLogger) Errorf(f string, a ...any)        { l.log.Warn(fmt.Sprintf(f, a...)) }
func (l vkLogger) Fatal(a ...any)                   { l.log.Error(fmt.Sprint(a...)) }
func (l vkLogger) Fatalf(f string, a ...any)        { l.log.Error(fmt.Sprintf(f, a...)) }
func (l vkLogger) WithError(err error) vklog.Logger { return vkLogger{l.log.With("error", err)} }

func (l vkLogger) WithField(name string, value any) vklog.Logger {
	if name == "patch" {
		return l // a whole object
	}
	return vkLogger{l.log.With(name, value)}
}

func (l vkLogger) WithFields(f vklog.Fields) vklog.Logger {
	log := l.log
	for name, value := range f {
		log = log.With(name, value)
	}
	return vkLogger{log}
}
