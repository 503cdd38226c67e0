package store

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync/atomic"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// hooked opens write connections that report every change of a row to the signer. The signer is nil
// until the installation's key is known.
type hooked struct {
	driver.Connector
	signer *atomic.Pointer[signer]
}

func (h hooked) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := h.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	hooks, ok := conn.(sqlite.HookRegisterer)
	if !ok || tlsField < 0 || dbField < 0 {
		return nil, errors.Join(errors.New("store: this SQLite does not report changes"), conn.Close())
	}
	hooks.RegisterPreUpdateHook(func(d sqlite.SQLitePreUpdateData) {
		if s := h.signer.Load(); s != nil && !s.off {
			s.note(&d)
		}
	})
	return conn, nil
}

// hookedRow reads the values of a row that is being changed, either from before or from after the
// change. It calls SQLite directly, because the driver's functions Old and New copy every value
// twice, and cut a text at its first NUL. A value is valid until the next value is read.
type hookedRow struct {
	tls *libc.TLS
	db  uintptr
	get func(tls *libc.TLS, db uintptr, column int32, value uintptr) int32
}

// rowsOfChange returns a row as it was before a change (was) and as it is after the change (is).
func rowsOfChange(d *sqlite.SQLitePreUpdateData) (was, is hookedRow) {
	v := reflect.ValueOf(d).Elem()
	tls, db := (*libc.TLS)(v.Field(tlsField).UnsafePointer()), uintptr(v.Field(dbField).Uint())
	return hookedRow{tls, db, lib.Xsqlite3_preupdate_old}, hookedRow{tls, db, lib.Xsqlite3_preupdate_new}
}

// These are the indexes of two fields of the driver's struct SQLitePreUpdateData. An index is -1 if
// the driver's version has no such field.
var (
	tlsField = fieldOfChange("tls", reflect.TypeFor[*libc.TLS]())
	dbField  = fieldOfChange("pCsr", reflect.TypeFor[uintptr]())
)

func fieldOfChange(name string, of reflect.Type) int {
	f, ok := reflect.TypeFor[sqlite.SQLitePreUpdateData]().FieldByName(name)
	if !ok || f.Type != of {
		return -1
	}
	return f.Index[0]
}

// value returns the address of a column's value in SQLite's memory.
func (r hookedRow) value(column int) (uintptr, error) {
	const size = int(unsafe.Sizeof(uintptr(0)))
	at := r.tls.Alloc(size)
	defer r.tls.Free(size)
	if rc := r.get(r.tls, r.db, int32(column), at); rc != lib.SQLITE_OK {
		return 0, fmt.Errorf("store: column %d of a change cannot be read: SQLite error %d", column, rc)
	}
	return *(*uintptr)(pointer(at)), nil
}

// appendTo appends a value to b, in the same encoding as appendValue.
func (r hookedRow) appendTo(b []byte, value uintptr) []byte {
	switch lib.Xsqlite3_value_type(r.tls, value) {
	case lib.SQLITE_INTEGER:
		return binary.BigEndian.AppendUint64(append(b, 1), uint64(lib.Xsqlite3_value_int64(r.tls, value)))
	case lib.SQLITE_FLOAT:
		return binary.BigEndian.AppendUint64(append(b, 2), math.Float64bits(lib.Xsqlite3_value_double(r.tls, value)))
	case lib.SQLITE_TEXT:
		b = append(b, 3)
	case lib.SQLITE_BLOB:
		b = append(b, 4)
	default:
		return append(b, 0)
	}
	content := r.bytes(value)
	return append(binary.BigEndian.AppendUint32(b, uint32(len(content))), content...)
}

// bytes returns the content of a text or a blob. The result is a slice of SQLite's memory.
func (r hookedRow) bytes(value uintptr) []byte {
	get := lib.Xsqlite3_value_blob
	if lib.Xsqlite3_value_type(r.tls, value) == lib.SQLITE_TEXT {
		get = lib.Xsqlite3_value_text
	}
	at := get(r.tls, value)
	n := lib.Xsqlite3_value_bytes(r.tls, value)
	if at == 0 || n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(pointer(at)), n)
}

// keyPart returns the value of a primary key's column, as a string or an int64.
func (r hookedRow) keyPart(value uintptr) any {
	if lib.Xsqlite3_value_type(r.tls, value) == lib.SQLITE_TEXT {
		return string(r.bytes(value))
	}
	return lib.Xsqlite3_value_int64(r.tls, value)
}

// pointer converts an address in SQLite's memory, which Go neither moves nor frees.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }
