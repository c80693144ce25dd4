// Runs the app in a process whose clock jumps on SIGUSR2.
import './jumping-clock.ts'

await import('./app-child.ts')
