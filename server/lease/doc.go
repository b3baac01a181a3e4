// Package lease decides which of several servers on one store serves it, by small objects beside the lakes ([store.Objects]).
//
// Each server that takes the store creates the object of the next epoch, writer/<epoch>, which the medium lets only one do;
// whoever sees a higher epoch than its own is fenced. The holder of the highest epoch renews its object by a heartbeat, and
// a standby takes the next epoch when it has watched the heartbeat stand still.
//
// What is stored is safe without all this: opening a lake for writing fences the writer before it in the engine itself. The
// lease is how servers find out early, and how a server that was cut off or paused knows that it must not answer from
// memory any more. For that, two clocks are compared by their speed only, never by what they show:
//
//   - A renewal puts the object and then lists the epochs. It counts from the moment at which it began, and only when no
//     higher epoch was listed. The holder answers for nine tenths of its announced time (Holder.TakeoverAfter) from there.
//   - A server that has created an epoch opens no lake before each holder of a lower one has released it, or is a process
//     of this machine that has ended, or cannot answer any more: because its announced time has passed since the epoch was
//     created, or since its object was first seen as it still is after the creation.
//
// So whenever a lake is opened by the new server, no other answers. Errors of the medium fence nobody.
//
// It knows the store's interfaces, and nothing of lakes, SQL or sockets.
package lease
