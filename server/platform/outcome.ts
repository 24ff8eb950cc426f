/** Returns a function that returns the value or throws the error. */
export async function outcomeOf<Value>(work: Promise<Value>): Promise<() => Value> {
  try {
    const value = await work;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
