// Package bucket is an S3-compatible object store in the process of a test, whose connections break as networks, stores and
// processes do.
//
// A [Bucket] holds the objects. Each client that a test lets live and die reaches it by an [Endpoint] of its own, an
// address on the loopback interface that counts what it writes, and can
//
//   - freeze after a number of writes, as if the client's process or its network had stopped there: the next write is
//     lost, or applied without an answer, and nothing else gets through;
//   - be severed, which is the death of the client: whatever it had on its way is lost, and it reaches the bucket no more;
//   - be released instead, so that what was on its way arrives late, and is applied;
//   - fail, drop or delay requests as a function of the test decides.
//
// The bucket itself stays sound, so another endpoint shows what a new process would find. Only tests import this package.
package bucket
