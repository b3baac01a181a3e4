package function

import (
	"cmp"
	"net/netip"
	"strings"

	"moraine/pgerror"
	"moraine/relation"
)

// Address families of the binary format of inet and cidr, and the lengths of their addresses in bits.
const (
	familyIPv4 = 2
	familyIPv6 = 3
	bitsIPv4   = 32
)

// networkCodecs are inet and cidr, represented by their canonical text.
func networkCodecs() map[uint32]*codec {
	return map[uint32]*codec{
		InetOID: {input: inputInet, appendText: appendPlainText, parseBinary: parseNetworkBinary, appendBinary: appendNetwork(0), compare: compareNetworks},
		CIDROID: {input: inputCIDR, appendText: appendPlainText, parseBinary: parseNetworkBinary, appendBinary: appendNetwork(1), compare: compareNetworks},
	}
}

// parseNetwork reads an address with an optional prefix length.
func parseNetwork(text string) (netip.Prefix, bool) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix, true
	}
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(address, address.BitLen()), true
}

func inputInet(text string, _ *Format) (relation.Value, error) {
	prefix, ok := parseNetwork(text)
	switch {
	case !ok:
		return relation.NULL, invalidInput("inet", text)
	case prefix.IsSingleIP():
		return relation.Text(prefix.Addr().String()), nil
	}
	return relation.Text(prefix.String()), nil
}

func inputCIDR(text string, _ *Format) (relation.Value, error) {
	prefix, ok := parseNetwork(text)
	if !ok {
		return relation.NULL, invalidInput("cidr", text)
	}
	if prefix.Masked() != prefix {
		return relation.NULL, pgerror.New(pgerror.InvalidTextRepresentation, "invalid cidr value: \"%s\"", text).
			WithDetail("Value has bits set to right of mask.")
	}
	return relation.Text(prefix.String()), nil
}

// compareNetworks orders by family, then by the bits both have, then by prefix length, then by the rest.
func compareNetworks(a, b relation.Value) int {
	x, _ := parseNetwork(a.Text())
	y, _ := parseNetwork(b.Text())
	if order := cmp.Compare(x.Addr().BitLen(), y.Addr().BitLen()); order != 0 {
		return order
	}
	common := min(x.Bits(), y.Bits())
	xCommon, _ := x.Addr().Prefix(common)
	yCommon, _ := y.Addr().Prefix(common)
	return cmp.Or(xCommon.Addr().Compare(yCommon.Addr()), cmp.Compare(x.Bits(), y.Bits()), x.Addr().Compare(y.Addr()))
}

func appendNetwork(isCIDR byte) func(dst []byte, v relation.Value) []byte {
	return func(dst []byte, v relation.Value) []byte {
		prefix, _ := parseNetwork(v.Text())
		family := byte(familyIPv4)
		if prefix.Addr().Is6() {
			family = familyIPv6
		}
		address := prefix.Addr().AsSlice()
		return append(append(dst, family, byte(prefix.Bits()), isCIDR, byte(len(address))), address...)
	}
}

func parseNetworkBinary(data []byte) (relation.Value, error) {
	invalid := pgerror.New(pgerror.InvalidBinaryRepresentation, "invalid address family in external \"inet\" value")
	if len(data) < 4 || len(data) != 4+int(data[3]) {
		return relation.NULL, wrongBinaryLength()
	}
	address, ok := netip.AddrFromSlice(data[4:])
	if !ok || (data[0] == familyIPv4) != address.Is4() || int(data[1]) > address.BitLen() {
		return relation.NULL, invalid
	}
	text := netip.PrefixFrom(address, int(data[1])).String()
	if data[2] == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "/32"), "/128")
		if address.Is6() && data[1] == bitsIPv4 {
			text += "/32"
		}
	}
	return relation.Text(text), nil
}
