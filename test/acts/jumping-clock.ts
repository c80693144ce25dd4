/** The offsets of the clock from the real time. SIGUSR2 switches to the next one. */
const OFFSETS_MS = [2 * 3_600_000, -2 * 3_600_000]

let jumps = 0
let offsetMs = 0
process.on('SIGUSR2', () => {
  offsetMs = OFFSETS_MS[jumps % OFFSETS_MS.length] ?? 0
  jumps += 1
})
// Another signal for the way back, because two of one kind can arrive as one.
process.on('SIGCONT', () => {
  offsetMs = 0
})

const RealDate = Date

const now = (): number => RealDate.now() + offsetMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
})
