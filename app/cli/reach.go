package cli

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/spf13/cobra"
)

// reachFlags adds the flags that let the service connect to receivers on this machine or in private
// networks. prefix is "ehr" for EHRs, "sso" for identity providers, or "webhook" for receivers of
// webhooks. After the flags have been parsed, the caller must call the returned function, which
// stores the private networks in *into.
func reachFlags(cmd *cobra.Command, prefix, who string, loopback *bool, into *[]netip.Prefix) func() error {
	var networks []string
	loopbackFlag(cmd, prefix, who, loopback)
	name := prefix + "-networks"
	cmd.Flags().StringSliceVar(&networks, name, nil, "private networks (CIDR) in which "+who+" may be; default none")
	return func() error {
		*into = nil
		for _, cidr := range networks {
			_, network, err := net.ParseCIDR(cidr)
			if err != nil {
				return fmt.Errorf("--%s takes networks such as 10.20.0.0/16", name)
			}
			if ones, _ := network.Mask.Size(); ones == 0 {
				return fmt.Errorf("--%s cannot include every address", name)
			}
			prefix, err := netip.ParsePrefix(network.String())
			if err != nil {
				return fmt.Errorf("--%s takes networks such as 10.20.0.0/16", name)
			}
			*into = append(*into, prefix)
		}
		return nil
	}
}

func loopbackFlag(cmd *cobra.Command, prefix, who string, loopback *bool) {
	cmd.Flags().BoolVar(loopback, prefix+"-loopback", false, "allow "+who+" on this machine, even without TLS; for development only")
}
