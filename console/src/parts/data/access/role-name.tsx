import { everyUser } from './access.ts'

export const RoleName = ({ role }: { role: string }) =>
  role === everyUser ? 'every user' : <code className="breakable">{role}</code>
