package main

import "muster.dev/muster/themes"

// themeNames are the values of --theme.
func themeNames() []string {
	var all []string
	for _, name := range themes.Names() {
		all = append(all, string(name))
	}
	return all
}
