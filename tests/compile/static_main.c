/* Links the two copies of static.c. */
#ifdef __cplusplus
extern "C" {
#endif
int first_copy(void);
int second_copy(void);
#ifdef __cplusplus
}
#endif

int main(void)
{
    return first_copy() + second_copy();
}
