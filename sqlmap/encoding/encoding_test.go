package encoding

import (
	"testing"

	"moraine/pgerror"
)

func TestBytesOfClientsAndCharacters(t *testing.T) {
	for _, test := range []struct{ name, raw, text string }{
		{"LATIN1", "\xe9\x80 a", "é\u0080 a"}, {"LATIN9", "\xa4", "€"}, {"WIN1252", "\x80\x93", "€“"}, {"KOI8R", "\xcd\xc9\xd2", "мир"},
		{"WIN1251", "\xec\xe8\xf0", "мир"}, {"WIN866", "\xac\xa8\xe0", "мир"}, {"ISO_8859_7", "\xe1", "α"},
	} {
		e := Find(test.name)
		if text, err := e.Decode(test.raw); err != nil || text != test.text {
			t.Errorf("%s: %q, %v; want %q", test.name, text, err, test.text)
		}
		if raw, err := e.Append([]byte("-"), []byte(test.text)); err != nil || string(raw) != "-"+test.raw {
			t.Errorf("%s: %q, %v; want %q", test.name, raw, err, test.raw)
		}
		if raw := e.Encode(test.text); raw != test.raw {
			t.Errorf("%s: %q, want %q", test.name, raw, test.raw)
		}
	}
}

func TestEveryByteThatMeansACharacterComesBack(t *testing.T) {
	for name, e := range encodings {
		for i := range 256 {
			raw := string([]byte{byte(i)})
			text, err := e.Decode(raw)
			if err != nil {
				if i < 128 {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			if i < 128 && text != raw || e.Encode(text) != raw {
				t.Errorf("%s: 0x%02x is %q, and back %q", name, i, text, e.Encode(text))
			}
		}
	}
}

func TestWhatHasNoEquivalent(t *testing.T) {
	_, err := Find("LATIN1").Append(nil, []byte("a€"))
	if want := `character with byte sequence 0xe2 0x82 0xac in encoding "UTF8" has no equivalent in encoding "LATIN1"`; !pgerror.HasCode(err, pgerror.UntranslatableCharacter) ||
		pgerror.From(err).Message != want {
		t.Errorf("error %v", err)
	}
	if got := Find("LATIN1").Encode("a€é"); got != "a?\xe9" {
		t.Errorf("got %q", got)
	}
	if _, err := Find("WIN1252").Decode("\x81"); !pgerror.HasCode(err, pgerror.UntranslatableCharacter) {
		t.Errorf("error %v", err)
	}
	if Find("UTF8") != nil || Find("SJIS") != nil {
		t.Error("encodings that are not of one byte")
	}
}
