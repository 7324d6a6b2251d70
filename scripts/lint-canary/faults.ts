// The linter must find every fault below: if its plugin is missing, it reports nothing and
// succeeds.
type Shape = 'circle' | 'square'

async function save(): Promise<void> {}

export function floats(): void {
  save()
}

export async function awaitsNothing(): Promise<number> {
  return await 1
}

export function misuses(list: number[]): void {
  list.forEach(async () => save())
}

export function forgets(shape: Shape): string {
  switch (shape) {
    case 'circle':
      return 'round'
  }
  return ''
}

export function readsEnvironment(): string | undefined {
  return process.env['HOME']
}

export function allows(value: any): unknown {
  return value
}

type Place = { shape: Shape }

export function namesVaguely({ shape }: Place): Shape {
  return shape
}
