/** The offsets of the clock from the real time. Each SIGUSR2 switches to the next one. */
const OFFSETS_MS = [0, 2 * 3_600_000, 0, -2 * 3_600_000]

let index = 0
process.on('SIGUSR2', () => {
  index = (index + 1) % OFFSETS_MS.length
})

const RealDate = Date

const now = (): number => RealDate.now() + (OFFSETS_MS[index] ?? 0)

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
