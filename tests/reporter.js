/**
 * Sends tests/run.js, over the IPC channel, the begin and the result of each test. It prints nothing: Node's `spec`
 * reporter does.
 */
export default async function* report(source) {
  for await (const { type, data } of source) {
    if (!['test:dequeue', 'test:pass', 'test:fail'].includes(type)) continue;
    process.send?.({
      type,
      name: data.name,
      nesting: data.nesting,
      suite: data.details?.type === 'suite',
      skip: data.skip,
      broken: data.details?.error?.failureType === 'testCodeFailure',
      why: data.details?.error?.cause?.message ?? data.details?.error?.message,
    });
    yield '';
  }
}
