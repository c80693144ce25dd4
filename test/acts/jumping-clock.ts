/** The current clock offset. Each SIGUSR2 switches to the next, as if someone set the clock wrong and then right again. */
const OFFSETS_MS = [0, 2 * 3_600_000, 0, -2 * 3_600_000]

let at = 0
process.on('SIGUSR2', () => {
  at = (at + 1) % OFFSETS_MS.length
})

const RealDate = Date

const now = (): number => RealDate.now() + (OFFSETS_MS[at] ?? 0)

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
