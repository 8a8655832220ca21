// Command look shows the screens on fixtures, to try them by hand. It is not shipped.
package main

import (
	"context"
	"fmt"
	"os"

	"muster.dev/muster/themes"
	"muster.dev/muster/ui"
	"muster.dev/muster/ui/i18n"
	"muster.dev/muster/ui/internal/fixture"
)

func main() {
	theme, err := themes.Choose("", os.Getenv)
	if err == nil {
		err = ui.Run(context.Background(), ui.Config{
			Backend: &fixture.Backend{Live: true}, Texts: i18n.New(i18n.FromEnvironment(os.Getenv)), Theme: theme, Now: fixture.Now,
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
