// stub
import type { Session } from './session.ts';
export async function converse(_session: Session, _format: string | undefined): Promise<number> {
  return 0;
}
